import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { OutputCapture } from '../../sandbox/capture';
import type { ToolOutput } from '../tool';
import { serverText } from './server-text';

/** In characters, of an address or a type that a server names. */
const MAX_LABEL = 300;

type Content = CallToolResult['content'][number];

/**
 * What the model is told of a result: its texts, and of all else what it is. Of more than 64 KiB the beginning and the
 * end, as of a command's output.
 */
export function toolResult({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const parts = content.map(inWords);
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const capture = new OutputCapture();
  for (const [index, part] of parts.entries()) capture.push(Buffer.from(index === 0 ? part : `\n${part}`));
  return { content: capture.result().text || '(no content)', isError: isError === true };
}

function inWords(item: Content): string {
  switch (item.type) {
    case 'text':
      return item.text;
    case 'image':
    case 'audio':
      return `[${item.type}, ${label(item.mimeType)}, about ${base64Bytes(item.data)} bytes: not shown]`;
    case 'resource_link':
      return `[link to a resource: ${label(item.uri)}]`;
    case 'resource': {
      const { resource } = item;
      if ('text' in resource) return `[resource ${label(resource.uri)}]\n${resource.text}`;
      return `[resource ${label(resource.uri)}, about ${base64Bytes(resource.blob)} bytes: not shown]`;
    }
  }
}

const label = (text: string): string => serverText(text, MAX_LABEL).replace(/\s+/g, ' ');

/** Near enough, without looking at what may be megabytes. */
const base64Bytes = (data: string): number => Math.floor((data.length * 3) / 4);
