import type { ToolInfo, Tried } from '@shared/agent-details';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { notifyError } from '../app/store';
import { ask } from '../ui/bridge';
import { Token, warningWords } from '../ui/Tokens';
import { visible } from '../ui/text';
import { argumentsText, type Field, fieldsOf } from './form-fields';

interface Props {
  readonly agentId: string;
  readonly tool: ToolInfo;
  readonly workspace: string | null;
}

/** Fills in a tool's arguments and shows what would run. Nothing is run. */
export function TryForm({ agentId, tool, workspace }: Props) {
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool.inputSchema]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [tried, setTried] = useState<Tried | null>(null);

  const show = async (event: FormEvent) => {
    event.preventDefault();
    const inputText = argumentsText(fields, values);
    const result = await ask('tryTool', { agentId, tool: tool.name, inputText, workspace });
    if (result.ok) setTried(result.value);
    else notifyError(result.error);
  };

  return (
    <form className="try" aria-label={`Try ${tool.name}`} onSubmit={(event) => void show(event)}>
      {fields.length === 0 && <p className="hint">It takes no arguments.</p>}
      {fields.map((field) => (
        <Input
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          onChange={(value) => {
            setValues((before) => ({ ...before, [field.name]: value }));
            setTried(null);
          }}
        />
      ))}
      <div className="try-act">
        <button type="submit" className="btn">
          Show what would run
        </button>
        <span className="hint">Nothing is run.</span>
      </div>
      {tried !== null && <Result tried={tried} />}
    </form>
  );
}

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Input({ field, value, onChange }: InputProps) {
  const id = useId();
  const { name, kind, required, options, help } = field;
  const choices = kind === 'boolean' ? ['true', 'false'] : options;
  const hint = [help, HINTS[kind]].filter((words) => words !== '').join(' · ');
  return (
    <div className="try-field">
      <label htmlFor={id} className="mono iso">
        {visible(name)}
        {required && <span title="required"> *</span>}
      </label>
      <div>
        {choices.length > 0 ? (
          <select id={id} className="field short" value={value} onChange={(event) => onChange(event.target.value)}>
            <option value="">not given</option>
            {choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : kind === 'list' || kind === 'map' || kind === 'json' ? (
          <textarea
            id={id}
            className="field mono"
            rows={2}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        ) : (
          <input id={id} className="field mono" value={value} onChange={(event) => onChange(event.target.value)} />
        )}
        {hint !== '' && <p className="hint iso">{visible(hint)}</p>}
      </div>
    </div>
  );
}

const HINTS: Readonly<Record<Field['kind'], string>> = {
  text: '',
  number: '',
  boolean: '',
  choice: '',
  list: 'one a line',
  map: 'one KEY=VALUE a line',
  json: 'as JSON',
};

function Result({ tried }: { readonly tried: Tried }) {
  if (!tried.ok) {
    return (
      <p role="status" className="problem">
        {visible(tried.error)}
      </p>
    );
  }
  const warnings = tried.command.flatMap((token, index) =>
    token.warnings.map((warning) => `Row ${index + 1} ${warningWords(warning)}.`),
  );
  return (
    <div className="try-result" role="status">
      <ol className="argv" aria-label="What would run">
        {tried.command.map((token, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the arguments of a command never change places
          <li key={index} className={token.warnings.length > 0 ? 'warned' : ''}>
            <Token token={token} />
          </li>
        ))}
      </ol>
      {warnings.map((words) => (
        <p key={words} className="warn">
          {words}
        </p>
      ))}
      {tried.preview.kind === 'command' && (
        <p className="hint">
          It is the program <span className="mono iso">{visible(tried.preview.program)}</span>, started in{' '}
          <span className="mono iso">{visible(tried.preview.cwd)}</span>.
        </p>
      )}
    </div>
  );
}
