// First: see there.
import './desktop/thread-pool';
import { app } from 'electron';
import { registerAppScheme } from './desktop/app-protocol';
import { startConsole } from './desktop/console';
import { dataFolder } from './desktop/data-folder';
import { lacksGraphics } from './desktop/graphics';

// The data folder decides which app this is: its lock, its store and its Chromium profile all lie in it.
const { home, isWritable } = dataFolder();
registerAppScheme();
if (lacksGraphics(process.platform)) app.disableHardwareAcceleration();

if (!isWritable || app.requestSingleInstanceLock()) {
  void startConsole(home);
} else {
  console.error(`Sayso is already running on ${home}; it was brought to the front.`);
  app.exit(0);
}
