import type { Request } from '@shared/requests';
import { oneLine } from '../ui/text';

export function requestName(request: Request): string {
  return `${request.kind === 'approval' ? 'Approval' : 'Question'}: ${oneLine(request.tool)}`;
}
