import { computerInfoTool } from './computer/computer-info';
import { deleteTool } from './computer/delete';
import { editFileTool } from './computer/edit-file';
import { listDirTool } from './computer/list-dir';
import { moveTool } from './computer/move';
import { readFileTool } from './computer/read-file';
import { runCommandTool } from './computer/run-command';
import { searchFilesTool } from './computer/search-files';
import { shellTool } from './computer/shell';
import { writeFileTool } from './computer/write-file';
import { askConfirmTool, askInputTool, askSelectTool } from './human/ask-human';
import type { ActionTool, QuestionTool } from './tool';

/** The built-in machine tools, in the order in which a model sees them: those that only look come first. */
export function computerTools(): ActionTool[] {
  return [
    listDirTool,
    readFileTool,
    searchFilesTool,
    computerInfoTool,
    writeFileTool,
    editFileTool,
    moveTool,
    deleteTool,
    runCommandTool,
    shellTool,
  ];
}

/** The tools that ask the operator, for agents with `harness.human_in_the_loop.enabled`. */
export function humanTools(): QuestionTool[] {
  return [askConfirmTool, askSelectTool, askInputTool];
}
