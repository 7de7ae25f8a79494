import type { Found } from './placeholder';

interface Shape {
  readonly what: string;
  readonly pattern: RegExp;
}

/**
 * Credentials with a prefix of their own that secretlint's recommended rules lack. Each is bounded, begins with a fixed
 * word, and cannot match again inside its own match. Facts from the issuers' documentation, where named, and from the
 * rules that gitleaks publishes (config/gitleaks.toml).
 */
const SHAPES: readonly Shape[] = [
  // Admin keys and the tokens of a login, beside the API keys that secretlint knows.
  { what: 'Anthropic key', pattern: /\bsk-ant-[a-z]{2,12}\d{2}-[A-Za-z0-9_-]{20,256}/g },
  { what: 'OpenAI API key', pattern: /\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,256}/g },
  // docs.gitlab.com, security/tokens: every type of token; secretlint knows the personal one without dots.
  {
    what: 'GitLab token',
    pattern: /\bgl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,300}/g,
  },
  { what: 'GitHub token', pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}/g },
  { what: 'npm token', pattern: /\bnpm_[A-Za-z0-9]{36}/g },
  { what: 'Google API key', pattern: /\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g },
  { what: 'Google access token', pattern: /\bya29\.[A-Za-z0-9_-]{20,1024}/g },
  { what: 'Google client secret', pattern: /\bGOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])/g },
  // docs.aws.amazon.com, IAM identifiers: long-term and temporary access keys, in base 32.
  { what: 'AWS access key ID', pattern: /\b(?:AKIA|ASIA)(?!IOSFODNN7EXAMPLE)[A-Z2-7]{16}\b/g },
  {
    what: 'AWS session token',
    pattern: /(?:SESSION_?TOKEN|Session_?Token|session_?token)["']?\s{0,8}[:=]\s{0,8}["']?([A-Za-z0-9/+=]{100,4096})/g,
  },
  { what: 'Azure storage key', pattern: /\bAccountKey=([A-Za-z0-9+/]{86}==)/g },
  { what: 'PyPI token', pattern: /\bpypi-AgE[A-Za-z0-9_-]{50,1024}/g },
  { what: 'Slack token', pattern: /\bxox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{20,512}/g },
  { what: 'Stripe webhook secret', pattern: /\bwhsec_[A-Za-z0-9+/]{32,128}={0,2}/g },
  { what: 'DigitalOcean token', pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  { what: 'Telegram bot token', pattern: /\b\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g },
  { what: 'age secret key', pattern: /\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b/g },
  // RFC 7519: header and claims are JSON objects, so both begin with base64 of {".
  {
    what: 'JSON web token',
    pattern: /\beyJ[A-Za-z0-9_-]{10,2048}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{16,2048}/g,
  },
  // RFC 3986, userinfo: any scheme, and passwords with other characters than secretlint allows.
  {
    what: 'password in a URL',
    pattern:
      /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:"'`<>\\]{0,256}:(?!(?:pass(?:word|wd)?|secret|token|example|changeme|x+|\*+)@|[${[(*<])([^\s/@"'`<>\\]{4,256})(?=@[^\s/@"'`<>\\])/gi,
  },
  // RFC 9110: what a verbose HTTP client prints.
  {
    what: 'Authorization header',
    pattern: /\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4}([A-Za-z0-9._~+/=-]{16,8192})/gi,
  },
];

export const moreLabels: readonly string[] = SHAPES.map(({ what }) => what);

/** Where a shape has a group, the group is the secret and the rest its name. */
export function moreShapes(text: string): Found[] {
  return SHAPES.flatMap(({ what, pattern }) =>
    [...text.matchAll(pattern)].map((match) => {
      const end = match.index + match[0].length;
      const start = match[1] === undefined ? match.index : end - match[1].length;
      return { start, end, what };
    }),
  );
}
