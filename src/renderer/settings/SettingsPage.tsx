import { useApp } from '../app/store';
import { HOLD_LOOK, PROTECTIONS, protectionWords } from '../sessions/protections';
import { Chip } from '../ui/Chip';
import { visible } from '../ui/text';
import { AuditSection } from './AuditSection';
import { KeySection } from './KeySection';
import { ModelSection } from './ModelSection';
import { SessionsSection } from './SessionsSection';
import { ThemeSection } from './ThemeSection';

export function SettingsPage() {
  return (
    <main className="page" aria-label="Settings" data-pane="main">
      <div className="page-body">
        <header className="page-head">
          <h1>Settings</h1>
        </header>
        <ThemeSection />
        <ModelSection />
        <KeySection />
        <Sandbox />
        <SessionsSection />
        <AuditSection />
        <About />
      </div>
    </main>
  );
}

function Sandbox() {
  const info = useApp((state) => state.info);
  if (info === null) return null;
  return (
    <section className="setting">
      <h2>Sandbox</h2>
      <div>
        <p>
          What holds on this machine for the commands that agents run: <b>{info.sandbox.label}</b>.
        </p>
        <ul className="protections">
          {PROTECTIONS.map((name) => {
            const { sign, words, tone } = HOLD_LOOK[info.sandbox[name]];
            return (
              <li key={name}>
                <Chip tone={tone}>
                  {sign} {words}
                </Chip>
                <span>{protectionWords(name, info.sandbox)}</span>
              </li>
            );
          })}
        </ul>
        {info.sandbox.notes !== undefined && info.sandbox.notes.length > 0 && (
          <ul className="hint notes">
            {info.sandbox.notes.map((note) => (
              <li key={note} className="iso">
                {visible(note)}
              </li>
            ))}
          </ul>
        )}
        {!info.rendererSandboxed && (
          <p className="hint warn">
            This window runs without Chromium’s own sandbox, because Sayso runs as root. Run it as another user to have
            it back.
          </p>
        )}
      </div>
    </section>
  );
}

function About() {
  const info = useApp((state) => state.info);
  if (info === null) return null;
  const rows = [
    ['Data folder', info.home],
    ['Agents folder', info.agentsFolder],
    ['Version', info.version],
  ] as const;
  return (
    <section className="setting">
      <h2>About</h2>
      <dl className="facts wide">
        {rows.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd className="mono iso">{visible(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
