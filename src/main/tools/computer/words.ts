/** How a path is given, for the model. */
export const PLACE = 'relative to the workspace, or absolute where the agent file opens more (see computer_info)';
