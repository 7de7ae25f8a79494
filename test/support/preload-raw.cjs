// A preload of the tests: what a compromised page could do at most, which is to send anything on any channel.
const { contextBridge, ipcRenderer } = require('electron');

/** @type {(channel: string, ...args: unknown[]) => Promise<unknown>} */
const invoke = (channel, ...args) => ipcRenderer.invoke(channel, ...args);
contextBridge.exposeInMainWorld('raw', { invoke });
