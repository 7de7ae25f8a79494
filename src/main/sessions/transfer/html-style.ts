/** How an exported page looks: the timeline's own colours, dark or light as the reader's system is. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --bg: #f5f6f8; --panel: #fff; --line: #e2e5ea; --text: #171b22; --muted: #535d6c;
  --accent: #1f62d0; --wait: #855300; --done: #16704a; --fail: #b3262b; --sunken: #f0f2f5; }
@media (prefers-color-scheme: dark) { :root { --bg: #0d0f13; --panel: #12151b; --line: #232833; --text: #e6e9ef;
  --muted: #9aa4b5; --accent: #6ea8fe; --wait: #f0b45b; --done: #56c596; --fail: #f2787b; --sunken: #0a0c10; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 13px/1.5 Inter, system-ui, sans-serif; }
header { padding: 16px 24px; background: var(--panel); border-bottom: 1px solid var(--line); }
h1 { margin: 0 0 4px; font-size: 18px; overflow-wrap: anywhere; }
header p { margin: 0; color: var(--muted); }
header span + span::before { content: " · "; }
main { max-width: 960px; margin: 0 auto; padding: 16px 24px; }
article { display: grid; grid-template-columns: 130px minmax(0, 1fr); gap: 12px; padding: 8px 0 8px 10px;
  border-left: 3px solid var(--line); }
h2 { margin: 0; font-size: 12px; font-weight: 600; color: var(--muted); overflow-wrap: anywhere; }
article.said { border-color: var(--accent); } article.said h2 { color: var(--accent); }
article.wait { border-color: var(--wait); } article.wait h2 { color: var(--wait); }
article.work { border-color: var(--accent); }
article.done { border-color: var(--done); }
article.fail { border-color: var(--fail); } article.fail h2 { color: var(--fail); }
.note { margin: 0; color: var(--muted); font-size: 12px; overflow-wrap: anywhere; }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; }
pre, .command { margin: 4px 0; padding: 8px; background: var(--sunken); border: 1px solid var(--line); border-radius: 5px;
  font: 12px/1.5 "JetBrains Mono", ui-monospace, monospace; font-variant-ligatures: none; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.command { list-style: none; } .command b { color: var(--fail); }
ul { margin: 4px 0; padding-left: 18px; color: var(--muted); font-size: 12px; }
summary { color: var(--muted); cursor: pointer; }
`;
