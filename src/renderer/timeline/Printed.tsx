import { useLayoutEffect, useRef } from 'react';
import { terminalText } from '../ui/text';

interface PrintedProps {
  readonly text: string;
  readonly live: boolean;
  readonly bad: boolean;
}

/** While it is printed the last line stays in sight, unless the reader has scrolled up in it. */
export function Printed({ text, live, bad }: PrintedProps) {
  const element = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after every change of the text
  useLayoutEffect(() => {
    if (live && follows.current && element.current !== null) element.current.scrollTop = element.current.scrollHeight;
  }, [text, live]);
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = element.current ?? {};
    follows.current = scrollHeight - scrollTop - clientHeight < 24;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long output is scrolled with the keyboard
    <pre ref={element} className={`out${bad ? ' bad' : ''}`} tabIndex={0} onScroll={onScroll}>
      {terminalText(text)}
    </pre>
  );
}
