import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import './styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import { App } from './app/App';
import { boot } from './app/boot';
import { ErrorBoundary } from './app/ErrorBoundary';
import { followSystemTheme } from './app/theme';

// Without this zod probes `new Function`, which the content security policy refuses and reports.
z.config({ jitless: true });

followSystemTheme();
boot();

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <App />
    </ErrorBoundary>
  </StrictMode>,
);
