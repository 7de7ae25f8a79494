import type { ReactNode } from 'react';

interface Props {
  readonly tone?: 'plain' | 'wait' | 'work' | 'ok' | 'bad' | 'stop';
  readonly title?: string;
  readonly children: ReactNode;
}

export function Chip({ tone = 'plain', title, children }: Props) {
  return (
    <span className={`chip ${tone}`} {...(title === undefined ? {} : { title })}>
      {children}
    </span>
  );
}
