/** How much one run of a command may be allowed: more would not be read, and belongs into an agent file. */
export const MAX_ALLOWANCES = 3;
