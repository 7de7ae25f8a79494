/** Protected names that are not there in the beginning, and that attempts make. */
export const MADE: readonly string[] = [
  '.envrc',
  '.mcp.json',
  '.vscode',
  '.idea',
  '.env.local',
  '.env.staging',
  '.env.production',
];
