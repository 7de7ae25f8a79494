/** Two names that somebody exchanges as fast as they can, while the tools are used on paths through one of them. */
export interface Race {
  readonly about: string;
  /** Paths from the folder that holds the workspace. */
  readonly swapped: readonly [real: string, trap: string];
  /** What the trap is: a link to that, or a pipe. */
  readonly trap: { readonly link: string } | 'pipe';
  /** The real one. */
  readonly real: 'folder' | 'file';
  /** From the real folder to the file that the tools are used on; empty where it is that itself. */
  readonly file: string;
  /** From the workspace, or absolute with TOP, the folder of what is swapped, as the tools are given it. */
  readonly path: string;
  /** In the workspace, the folder that the two lie in, where it is deleted and listed with them; made anew each time. */
  readonly around?: string;
}

export const RACES: readonly Race[] = [
  {
    about: 'the folder of the file for a link out',
    swapped: ['ws/way', 'ws/trap'],
    trap: { link: '../outside' },
    real: 'folder',
    file: 'file',
    path: 'way',
  },
  {
    about: 'a folder further up for a link out',
    swapped: ['ws/way', 'ws/trap'],
    trap: { link: '../outside' },
    real: 'folder',
    file: 'deep/file',
    path: 'way',
  },
  {
    about: 'the file for a link out',
    swapped: ['ws/sub/file', 'ws/sub/trap'],
    trap: { link: '../../outside/file' },
    real: 'file',
    file: '',
    path: 'sub/file',
  },
  {
    about: 'the file for a pipe',
    swapped: ['ws/sub/file', 'ws/sub/trap'],
    trap: 'pipe',
    real: 'file',
    file: '',
    path: 'sub/file',
  },
  {
    about: 'a folder in one that is deleted for a link out',
    swapped: ['ws/around/sub', 'ws/around/trap'],
    trap: { link: '../../outside' },
    real: 'folder',
    file: 'file',
    path: 'around/sub',
    around: 'around',
  },
  {
    about: 'the workspace itself for a link out',
    swapped: ['ws', 'trap'],
    trap: { link: 'outside' },
    real: 'folder',
    file: 'file',
    path: 'TOP/ws',
  },
  {
    about: 'a folder for a link to what is protected',
    swapped: ['ws/way', 'ws/trap'],
    trap: { link: '.git' },
    real: 'folder',
    file: 'config',
    path: 'way',
  },
  {
    about: 'a folder for a link to the data of the app',
    swapped: ['ws/way', 'ws/trap'],
    trap: { link: 'app-data' },
    real: 'folder',
    file: 'secret',
    path: 'way',
  },
  {
    about: 'what the agent file opens for a link out',
    swapped: ['opened', 'trap'],
    trap: { link: 'outside' },
    real: 'folder',
    file: 'file',
    path: 'TOP/opened',
  },
];

export interface RaceResult {
  readonly about: string;
  /** How often the two were exchanged meanwhile. */
  readonly swaps: number;
  /** How many uses were refused, or failed, and how many were done. */
  readonly refused: number;
  readonly done: number;
  /** The tools that told something that they must not. */
  readonly told: readonly string[];
  readonly changes: readonly string[];
  /** Names that are left, which the tools made for themselves. */
  readonly left: readonly string[];
}
