import { FakeMain } from './fake-main';
import { scenes } from './scenes';

const name = new URLSearchParams(window.location.search).get('scene') ?? 'busy';
const scene = scenes[name];
if (scene === undefined) throw new Error(`no scene ${name}`);
window.localStorage.clear();
const main = new FakeMain(scene(Date.now()));
Object.assign(window, { sayso: main.bridge(), fake: main });
void import('../../../src/renderer/main');
