import type { BridgeInput, BridgeMethod, BridgeResult, SaysoBridge } from '@shared/bridge';
import { contextBridge, ipcRenderer } from 'electron';

/** One channel a method; what goes in and comes out is checked on both sides of it, not here. */
function call<M extends BridgeMethod>(method: M, input: BridgeInput<M>): Promise<BridgeResult<M>> {
  return ipcRenderer.invoke(`sayso:${method}`, input);
}

const sayso: SaysoBridge = {
  getAppInfo: (input) => call('getAppInfo', input),
  listSessions: (input) => call('listSessions', input),
  searchEvents: (input) => call('searchEvents', input),
  getSession: (input) => call('getSession', input),
  readEvents: (input) => call('readEvents', input),
  getRunSandbox: (input) => call('getRunSandbox', input),
  readOriginalOutput: (input) => call('readOriginalOutput', input),
  watchSessions: (input) => call('watchSessions', input),
  renameSession: (input) => call('renameSession', input),
  pinSession: (input) => call('pinSession', input),
  measureRemoval: (input) => call('measureRemoval', input),
  deleteSessions: (input) => call('deleteSessions', input),
  previewRetention: (input) => call('previewRetention', input),
  applyRetention: (input) => call('applyRetention', input),
  forkSession: (input) => call('forkSession', input),
  clearSession: (input) => call('clearSession', input),
  exportSession: (input) => call('exportSession', input),
  importSession: (input) => call('importSession', input),
  listAgents: (input) => call('listAgents', input),
  getAgent: (input) => call('getAgent', input),
  tryTool: (input) => call('tryTool', input),
  openAgentFile: (input) => call('openAgentFile', input),
  chooseWorkspace: (input) => call('chooseWorkspace', input),
  startRun: (input) => call('startRun', input),
  startDemo: (input) => call('startDemo', input),
  stopRun: (input) => call('stopRun', input),
  sendMessage: (input) => call('sendMessage', input),
  resumeSession: (input) => call('resumeSession', input),
  listRequests: (input) => call('listRequests', input),
  answerRequest: (input) => call('answerRequest', input),
  previewGrant: (input) => call('previewGrant', input),
  revokeGrant: (input) => call('revokeGrant', input),
  verifyAudit: (input) => call('verifyAudit', input),
  exportAudit: (input) => call('exportAudit', input),
  getStatistics: (input) => call('getStatistics', input),
  backUpStore: (input) => call('backUpStore', input),
  recoverStore: (input) => call('recoverStore', input),
  getSettings: (input) => call('getSettings', input),
  saveSettings: (input) => call('saveSettings', input),
  setApiKey: (input) => call('setApiKey', input),
  onPush: (listener) => {
    const forward = (_event: unknown, push: unknown) => listener(push);
    ipcRenderer.on('sayso:push', forward);
    return () => {
      ipcRenderer.off('sayso:push', forward);
    };
  },
};

contextBridge.exposeInMainWorld('sayso', sayso);
