import type { Request } from '@shared/requests';
import { oneLine } from '../ui/text';

export function requestName(request: Request): string {
  const again = request.kind === 'approval' && request.gatedBy.because === 'wider' ? ', again and with more' : '';
  return `${request.kind === 'approval' ? 'Approval' : 'Question'}: ${oneLine(request.tool)}${again}`;
}
