import { errorWords } from '../../network/error-words';
import { ToolError } from '../tool';

/** What went wrong with a request, in words for the model. */
export function inWords(error: unknown, host: string): ToolError {
  return error instanceof ToolError ? error : new ToolError(`${host} ${errorWords(error)}.`);
}
