/** `severe`: cannot be undone or cannot be judged; `high`: loses or exposes something; `medium`: changes something. */
export type Severity = 'severe' | 'high' | 'medium' | 'low';

/** Something that the operator should know before deciding. It informs; it never authorises. */
export interface RiskLabel {
  readonly id: LabelId;
  readonly text: string;
  readonly severity: Severity;
}

/** Worst first: the order in which labels are listed. */
const CATALOGUE = {
  unparsed: ['severe', 'Could not be read completely: it may do anything'],
  'remote-code': ['severe', 'Runs code that it downloads'],
  device: ['severe', 'Writes to a disk or device directly'],
  privilege: ['high', 'Runs with the rights of another user'],
  deletes: ['high', 'Deletes files or data'],
  history: ['high', 'Rewrites or discards version history'],
  outside: ['high', 'May change files outside the workspace'],
  dynamic: ['high', 'Runs code or a program that is only known when it runs'],
  power: ['high', 'Shuts down or restarts the machine'],
  credentials: ['high', 'Names a place where passwords or keys are kept'],
  network: ['medium', 'Uses the network'],
  installs: ['medium', 'Installs software or runs it from a registry'],
  permissions: ['medium', 'Changes permissions or owners'],
  kills: ['medium', 'Stops processes or services'],
  background: ['medium', 'Leaves something running, or set to run later'],
  writes: ['medium', 'Writes files'],
  code: ['medium', 'Runs program code given on the command line'],
  script: ['low', 'Runs a script whose content is not shown here'],
} as const satisfies Record<string, readonly [Severity, string]>;

export type LabelId = keyof typeof CATALOGUE;

const ORDER = Object.keys(CATALOGUE) as LabelId[];

/** The labels of these ids, each once, worst first. */
export function labelsOf(ids: ReadonlySet<LabelId>): RiskLabel[] {
  return ORDER.filter((id) => ids.has(id)).map((id) => {
    const [severity, text] = CATALOGUE[id];
    return { id, text, severity };
  });
}
