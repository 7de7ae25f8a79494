import { Dialog } from '../ui/Dialog';
import { commandKey } from './keys';
import { closeDialog } from './store';

interface Keys {
  readonly where: string;
  readonly keys: readonly (readonly [string, string])[];
}

function allKeys(): readonly Keys[] {
  const command = commandKey();
  return [
    {
      where: 'Anywhere',
      keys: [
        [`${command} K`, 'Commands: go to, search, do'],
        [`${command} N`, 'New run'],
        ['F6', 'Next pane; with Shift, the one before'],
        ['/', 'Search sessions'],
        ['?', 'These keys'],
      ],
    },
    {
      where: 'In the inbox',
      keys: [
        ['J, ↓', 'Next request'],
        ['K, ↑', 'Request before'],
        ['A', 'Approve, once the whole command was on screen'],
        ['D, Enter', 'Decline'],
      ],
    },
    {
      where: 'In a session',
      keys: [
        ['Enter', 'Send the message'],
        ['Shift Enter', 'New line'],
        [`${command} click`, 'On a session in the list: open it beside this one'],
      ],
    },
  ];
}

export function KeysDialog() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={closeDialog}>
      <div className="keys">
        {allKeys().map(({ where, keys }) => (
          <section key={where}>
            <h3>{where}</h3>
            <dl>
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <span className="kbd">{key}</span>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <p className="hint">A key held down decides nothing, and the buttons of a request wait half a second.</p>
      </div>
    </Dialog>
  );
}
