import { z } from 'zod';

/** More servers than an agent can use well; each is a process or a connection of its own. */
const MAX_SERVERS = 20;

/** The shorter ways to ask whether a text is a URL came after the oldest runtime. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const Url = z.string().superRefine((text, context) => {
  const url = parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    context.addIssue({ code: 'custom', message: 'not an http:// or https:// address' });
  } else if (url.username !== '' || url.password !== '') {
    context.addIssue({
      code: 'custom',
      message: 'holds a user name or a password: no credentials are sent to a server',
    });
  }
});

/** One MCP server of an agent file: a program that is started, or an address. */
export const McpServer = z
  .strictObject({
    name: z
      .string()
      .max(32, 'longer than 32 characters')
      .regex(/^[a-z0-9-]+$/, 'write lower-case letters, digits and dashes'),
    command: z
      .array(z.string().regex(/^[^\0]*$/, 'holds a NUL'))
      .min(1, 'is empty: write the program and its arguments, one item each')
      .refine(([program]) => program !== '', 'its first item, the program, is empty')
      .optional(),
    url: Url.optional(),
    trust_read_only: z.boolean().default(false),
  })
  .superRefine(({ command, url }, context) => {
    if (command === undefined && url === undefined) {
      context.addIssue({ code: 'custom', message: 'add `command: [program, argument]` or `url:`' });
    }
    if (command !== undefined && url !== undefined) {
      context.addIssue({ code: 'custom', path: ['url'], message: 'a server has a command or a url: remove one' });
    }
  });
export type McpServer = z.infer<typeof McpServer>;

export const McpServers = z
  .array(McpServer)
  .max(MAX_SERVERS)
  .superRefine((servers, context) => {
    for (const [index, { name }] of servers.entries()) {
      if (servers.findIndex((other) => other.name === name) === index) continue;
      context.addIssue({
        code: 'custom',
        path: [index, 'name'],
        message: `another server is named "${name}" already`,
      });
    }
  });
