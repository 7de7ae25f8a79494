import { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import { ZodError } from 'zod';
import { BrokenStream } from './anthropic-assembly';

/** Why a stream broke, where asking again may help; null for every other error. */
export function breakReason(error: unknown): string | null {
  if (error instanceof BrokenStream) return error.message;
  if (error instanceof ZodError || error instanceof SyntaxError) return 'the stream was malformed';
  if (error instanceof APIError && error.status === undefined && !(error instanceof APIConnectionError)) {
    return midStreamWords(error.type);
  }
  // What fetch throws when the connection is lost while the body is read.
  if (error instanceof TypeError && error.cause !== undefined) return 'the connection was lost';
  return null;
}

/** An `error` event in mid-stream, which the SDK throws without a status: words for one that may pass, else null. */
function midStreamWords(type: string | null): string | null {
  switch (type) {
    case 'overloaded_error':
      return 'the API is overloaded';
    case 'rate_limit_error':
      return "the API's rate limit is reached";
    case 'timeout_error':
      return 'the API ran out of time';
    case 'api_error':
    case null:
      return 'the API failed';
    default:
      return null;
  }
}
