import { createHash } from 'node:crypto';

// Nothing here may look like a credential to a scanner of the repository: every one is put together when tests run.

/** The same seemingly random characters for the same name. */
export function random(name: string, length: number, alphabet = 'base62'): string {
  let digits = '';
  for (let block = 0; digits.length < length; block++) {
    const bytes = createHash('sha512').update(`${name} ${block}`).digest();
    digits += alphabet === 'hex' ? bytes.toString('hex') : bytes.toString('base64').replace(/[+/=]/g, '');
  }
  if (alphabet === 'letters')
    return [...digits.replace(/\d/g, '')]
      .concat([...'abcdefghij'.repeat(20)])
      .slice(0, length)
      .join('');
  if (alphabet === 'base32')
    return digits
      .toUpperCase()
      .replace(/[^A-Z2-7]/g, 'Q')
      .slice(0, length);
  return digits.slice(0, length);
}

const glue = (...parts: string[]): string => parts.join('');

/** What each credential is called, and one of its kind. */
export const SHAPES: readonly (readonly [what: string, secret: string])[] = [
  ['GitHub token', glue('gh', 'p_', random('ghp', 36))],
  ['GitHub token', glue('gh', 's_', random('ghs', 36))],
  ['GitHub token', glue('github', '_pat_', random('pat', 82))],
  ['GitLab access token', glue('gl', 'pat-', random('glpat', 20))],
  ['GitLab token', glue('gl', 'dt-', random('gldt', 20))],
  ['Anthropic API key', glue('sk-', 'ant-', 'api03-', random('ant', 93), 'AA')],
  ['Anthropic key', glue('sk-', 'ant-', 'oat01-', random('oat', 90))],
  ['OpenAI API key', glue('sk-', 'proj-', random('oa', 74), 'T3Blbk', 'FJ', random('oa2', 74))],
  ['OpenAI API key', glue('sk-', random('oa3', 20), 'T3Blbk', 'FJ', random('oa4', 20))],
  ['npm token', glue('np', 'm_', random('npm', 36))],
  ['Slack token', glue('xo', 'xb-', '123456789012-', '1234567890123-', random('slack', 24))],
  [
    'Slack token',
    glue('https://hooks.', 'slack.com/services/', 'T0', random('t', 8), '/B0', random('b', 8), '/', random('h', 24)),
  ],
  ['Stripe key', glue('sk_', 'live_', random('stripe', 24))],
  ['SendGrid API key', glue('S', 'G.', random('sg', 22), '.', random('sg2', 43))],
  ['Shopify API key', glue('shp', 'at_', random('shop', 32, 'hex'))],
  ['Hugging Face access token', glue('h', 'f_', random('hf', 34, 'letters'))],
  ['Databricks token', glue('da', 'pi', random('dapi', 32, 'hex'))],
  ['Docker access token', glue('dckr', '_pat_', random('dckr', 27))],
  ['HashiCorp Vault token', glue('hv', 's.', random('hvs', 95))],
  ['Google API key', glue('AI', 'za', random('aiza', 35))],
  ['AWS access key ID', glue('AK', 'IA', random('akia', 16, 'base32'))],
  ['PyPI token', glue('py', 'pi-', 'AgEIcHlwaS5vcmc', random('pypi', 120))],
  ['DigitalOcean token', glue('do', 'p_v1_', random('do', 64, 'hex'))],
  ['Telegram bot token', glue('123456789', ':AA', random('tg', 33))],
  [
    'JSON web token',
    glue(
      Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
      '.',
      Buffer.from('{"sub":"1234567890","name":"A. Person"}').toString('base64url'),
      '.',
      random('jwt', 43),
    ),
  ],
];

export function privateKey(label = 'PRIVATE KEY', lines = 24): { armour: string; body: string[] } {
  const body = Array.from({ length: lines }, (_, at) => random(`${label} ${at}`, 64));
  body[0] = `MIIEvQIB${body[0]?.slice(8) ?? ''}`;
  body.push(random(`${label} last`, 22));
  return { armour: [`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`].join('\n'), body };
}
