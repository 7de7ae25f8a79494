import type { SessionId } from '@shared/ids';
import { createContext } from 'react';

/** The session whose timeline is being shown, for what deep inside it has to ask for more. */
export const SessionContext = createContext<SessionId | null>(null);
