import type { AllowedHost } from '@shared/agent-hosts';
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
import { fetchUrlTool } from './web/fetch-url';
import { httpRequestTool } from './web/http-request';
import { webReach } from './web/reach';

/**
 * The built-in machine tools, in the order in which a model sees them: those that only look come first.
 * @param privateHosts what fetch_url may reach beyond the public internet
 */
export function computerTools(privateHosts: readonly AllowedHost[] = []): ActionTool[] {
  return [
    listDirTool,
    readFileTool,
    searchFilesTool,
    computerInfoTool,
    fetchUrlTool(webReach(privateHosts)),
    writeFileTool,
    editFileTool,
    moveTool,
    deleteTool,
    runCommandTool,
    shellTool,
  ];
}

/** The tool that sends any request, for agents with `http: true`. */
export function httpTools(privateHosts: readonly AllowedHost[] = []): ActionTool[] {
  return [httpRequestTool(webReach(privateHosts))];
}

/** The tools that ask the operator, for agents with `harness.human_in_the_loop.enabled`. */
export function humanTools(): QuestionTool[] {
  return [askConfirmTool, askSelectTool, askInputTool];
}
