const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'is not known',
  EAI_AGAIN: 'could not be looked up just now',
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'broke off the connection',
  EPIPE: 'broke off the connection',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ERR_STREAM_PREMATURE_CLOSE: 'broke off the connection',
  HPE_HEADER_OVERFLOW: 'sends headers that are too long',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that it signed itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate that nobody trusted has signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate that nobody trusted has signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'shows a certificate that nobody trusted has signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate for another name',
};

/** What a host did when it was to be reached and was not, to stand behind its name. */
export function errorWords(error: unknown): string {
  const code = codeOf(error);
  return WORDS[code] ?? otherWords(code, error);
}

function otherWords(code: string, error: unknown): string {
  if (code.startsWith('HPE_')) return 'does not answer in HTTP';
  if (/^(?:Z_|ERR__ERROR_)/.test(code)) return 'sends a compressed answer that is broken';
  return `could not be asked: ${error instanceof Error ? error.message : String(error)}`;
}

/** Where several addresses were tried, each with its own error, the first one's stands for all. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
