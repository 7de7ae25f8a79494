import type { AgentInfo } from '@shared/agent-file';
import type { AppInfo } from '@shared/bridge';
import type { GrantId } from '@shared/ids';
import type { AgentLibrary } from '../agents/library';
import type { Audit } from '../approvals/audit';
import { previewGrant } from '../approvals/grant-preview';
import type { Grants } from '../approvals/grants';
import { agentDetails, tryTool } from '../runs/agent-details';
import type { LiveOriginals } from '../runs/live-originals';
import type { Preparer } from '../runs/prepare-agent';
import { Refusal } from '../runs/refusal';
import type { Supervisor } from '../runs/supervisor';
import { writeFileWhole } from '../sessions/transfer/write-file';
import type { Appearance } from './appearance';
import type { BridgeHandlers } from './bridge';
import type { Pushes } from './pushes';
import type { ApiKey } from './secrets';
import { type SessionHandlerParts, sessionHandlers } from './session-handlers';
import type { SettingsFile } from './settings-file';

export interface HandlerParts extends SessionHandlerParts {
  readonly appInfo: () => AppInfo;
  readonly grants: Grants;
  readonly audit: Audit;
  readonly originals: LiveOriginals;
  readonly library: AgentLibrary;
  readonly preparer: Preparer;
  /** Adds an agent file to the library, for the next starts too. */
  readonly openAgent: (path: string) => Promise<AgentInfo>;
  readonly settings: SettingsFile;
  readonly apiKey: ApiKey;
  readonly pushes: Pushes;
  readonly appearance: Appearance;
  /** Makes the demo's repository and starts its run. */
  readonly startDemo: () => ReturnType<Supervisor['start']>;
}

/** What each method of the bridge does. Inputs come parsed; what cannot be done is a Refusal. */
export function bridgeHandlers(parts: HandlerParts): BridgeHandlers {
  const { reader, inbox, grants, audit, supervisor, library, settings, apiKey, pushes, dialogs, appearance } = parts;
  return {
    getAppInfo: parts.appInfo,

    ...sessionHandlers(parts),
    getSession: ({ sessionId }) => {
      const session = reader.session(sessionId);
      if (session === null) throw new Refusal('not-found', 'There is no such session.');
      return { session, grants: grants.list(sessionId, session.agentId) };
    },
    readEvents: (input) => reader.events(input),
    readOriginalOutput: ({ sessionId, callId }) => ({ text: parts.originals.read(sessionId, callId) }),
    watchSessions: ({ sessionIds }) => {
      pushes.watch(sessionIds);
      return {};
    },

    listAgents: async () => ({ agents: await library.list() }),
    getAgent: async ({ agentId, servers }) => {
      const agent = await library.info(agentId);
      if (agent === null) throw new Refusal('not-found', 'This agent is not there any more.');
      if (agent.problems.length > 0) return { agent, details: null };
      return { agent, details: agentDetails(await parts.preparer.resolve(agentId, servers)) };
    },
    tryTool: async ({ agentId, tool, inputText, workspace }) =>
      tryTool(await parts.preparer.resolve(agentId), tool, inputText, workspace),
    openAgentFile: async () => {
      const path = await dialogs.chooseAgentFile();
      return { agent: path === null ? null : await parts.openAgent(path) };
    },
    chooseWorkspace: async () => ({ path: await dialogs.chooseFolder() }),

    startRun: async (input) => ({ sessionId: await supervisor.start(input) }),
    startDemo: async () => ({ sessionId: await parts.startDemo() }),
    stopRun: async ({ sessionId }) => {
      await supervisor.stop(sessionId);
      return {};
    },
    sendMessage: async ({ sessionId, text, anyway, place }) => {
      await supervisor.send(sessionId, text, { agentChanged: anyway ? 'anyway' : 'ask', place });
      return {};
    },
    resumeSession: async ({ sessionId, anyway, place }) => {
      await supervisor.resume(sessionId, { agentChanged: anyway ? 'anyway' : 'ask', place });
      return {};
    },

    listRequests: () => ({ requests: inbox.open() }),
    answerRequest: ({ requestId, digest, answer }) => {
      inbox.answer(requestId, digest, answer);
      return {};
    },
    previewGrant: ({ requestId, scope }) => {
      const found = inbox.rememberable(requestId);
      if (found === null) throw new Refusal('not-found', 'This request is not open any more.');
      const { sessionId } = found.request;
      const workspace = reader.session(sessionId)?.workspace ?? '';
      return previewGrant(found.call, scope, reader.startedCalls(sessionId), workspace);
    },
    revokeGrant: ({ grantId }) => {
      revoke(grants, grantId);
      return {};
    },

    verifyAudit: () => audit.verify(),
    exportAudit: async () => {
      const path = await dialogs.chooseTarget('sayso-audit.jsonl');
      if (path === null) return { path, rows: 0 };
      let rows = 0;
      const counted = async function* () {
        for await (const line of audit.exportLines()) {
          rows += 1;
          yield line;
        }
      };
      await writeFileWhole(path, counted());
      return { path, rows };
    },

    getSettings: () => ({ settings: settings.current, key: apiKey.state }),
    saveSettings: async ({ settings: changed }) => {
      await settings.save(changed);
      appearance.apply(changed.theme);
      return {};
    },
    setApiKey: async ({ key }) => {
      await apiKey.set(key);
      return { key: apiKey.state };
    },
  };
}

function revoke(grants: Grants, id: GrantId): void {
  if (!grants.revoke(id, 'operator')) {
    throw new Refusal('not-found', 'There is no such remembered approval, or it was revoked before.');
  }
}
