/** How an exported page looks: the timeline's own colours, dark or light as the reader's system is. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --bg: #f5f6f8; --panel: #fff; --line: #e2e5ea; --text: #171b22; --muted: #535d6c;
  --faint: #5e6777; --ok: #16704a; --ok-soft: #56c5962b; --bad: #b3262b; --bad-soft: #f2787b24; --wait: #855300;
  --wait-soft: #f0b45b2e; --stop: #5d6676; --sunken: #f0f2f5; --add: #56c59630; --del: #f2787b2b; }
@media (prefers-color-scheme: dark) { :root { --bg: #0d0f13; --panel: #12151b; --line: #232833; --text: #e6e9ef;
  --muted: #9aa4b5; --faint: #7d8798; --ok: #56c596; --ok-soft: #56c5961a; --bad: #f2787b; --bad-soft: #f2787b1a;
  --wait: #f0b45b; --wait-soft: #f0b45b1f; --stop: #8b95a7; --sunken: #0a0c10; --add: #56c59622; --del: #f2787b22; } }
* { box-sizing: border-box; margin: 0; }
body { background: var(--bg); color: var(--text); font: 13px/1.5 "Inter Variable", Inter, system-ui, sans-serif; }
pre, code, .command, .tool > summary > b { font-family: "JetBrains Mono Variable", "JetBrains Mono", ui-monospace, monospace;
  font-size: 12px; font-variant-ligatures: none; }
header { padding: 14px 24px; background: var(--panel); border-bottom: 1px solid var(--line); }
h1 { font-size: 18px; font-weight: 620; overflow-wrap: anywhere; }
header p { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; color: var(--muted); font-size: 12px; }
header span { overflow-wrap: anywhere; min-width: 0; }
main { max-width: 980px; margin: 0 auto; padding: 16px 24px 40px; }
.msg { display: grid; grid-template-columns: 64px minmax(0, 1fr) auto; gap: 12px; padding: 8px 0; }
.msg h2 { padding-top: 1px; color: var(--faint); font-size: 12px; font-weight: 400; text-align: right; }
.msg.you .text { font-weight: 520; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; }
.text > div + div, .text > pre { margin-top: 6px; }
time, .tool small { color: var(--faint); font-size: 11px; font-variant-numeric: tabular-nums; }
pre { padding: 8px 12px; white-space: pre-wrap; overflow-wrap: anywhere; }
.text pre { background: var(--sunken); border: 1px solid var(--line); border-radius: 5px; }
.text code { padding: 0 3px; background: var(--sunken); border-radius: 3px; }
details, .line, .run-end { margin-left: 76px; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "›"; display: inline-block; width: 10px; color: var(--faint); }
details[open] > summary::before { content: "⌄"; }
.tool { border: 1px solid transparent; border-radius: 5px; }
.tool[open] { margin-block: 4px 6px; border-color: var(--line); background: var(--panel); overflow: hidden; }
.tool > summary { display: flex; align-items: center; gap: 8px; padding: 3px 8px 3px 4px; font-size: 12px; }
.tool > summary > b { font-weight: 400; }
.tool > summary > code { flex: 1; min-width: 40px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  color: var(--muted); }
.tool small { min-width: 46px; text-align: right; }
.sign { width: 12px; color: var(--faint); font-style: normal; font-weight: 700; text-align: center; }
.sign.ok { color: var(--ok); } .sign.bad { color: var(--bad); } .sign.wait { color: var(--wait); }
.sign.stop { color: var(--stop); }
.chips { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 4px; max-width: 60%; }
.chip { padding: 1px 8px; border-radius: 999px; background: var(--sunken); color: var(--muted); font-size: 11px;
  font-weight: 600; overflow-wrap: anywhere; }
.chip.ok { background: var(--ok-soft); color: var(--ok); } .chip.bad { background: var(--bad-soft); color: var(--bad); }
.chip.wait { background: var(--wait-soft); color: var(--wait); }
.detail > * { border-top: 1px solid var(--line); padding: 7px 12px; }
.detail .note { color: var(--muted); font-size: 12px; } .detail .note + pre { border-top: 0; padding-top: 0; }
.command { padding-left: 12px; list-style: none; counter-reset: row; background: var(--sunken); }
.command li { display: grid; grid-template-columns: 24px minmax(0, 1fr); counter-increment: row; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.command li::before { content: counter(row); color: var(--faint); font-size: 11px; }
.command b, .tool summary code b { padding: 0 2px; border-radius: 3px; background: var(--bad-soft); color: var(--bad);
  font-weight: 400; }
.command li > * { grid-column: 2; }
ul, .detail > ul { padding-left: 28px; color: var(--muted); font-size: 12px; overflow-wrap: anywhere; }
.diff { padding-inline: 0; } .diff span { display: block; padding: 0 12px; } .diff .add { background: var(--add); }
.diff .del { background: var(--del); } .diff .place { color: var(--faint); }
.aside > summary { color: var(--faint); font-size: 12px; } .aside .text { padding: 4px 12px; color: var(--muted); }
.line { padding: 3px 8px; color: var(--muted); font-size: 12px; overflow-wrap: anywhere; }
.line.bad { color: var(--bad); } .line.wait { color: var(--wait); }
.rule { display: flex; align-items: center; gap: 12px; padding: 12px 0 8px; color: var(--faint); font-size: 11px; }
.rule::before, .rule::after { content: ""; flex: 1; min-width: 20px; border-top: 1px solid var(--line); }
.rule span { overflow-wrap: anywhere; min-width: 0; }
.run-end { display: flex; flex-wrap: wrap; gap: 4px 8px; margin-block: 10px 8px; padding: 7px 10px; border: 1px solid var(--line);
  border-radius: 5px; background: var(--panel); overflow-wrap: anywhere; }
.run-end.ok b { color: var(--ok); } .run-end.bad b { color: var(--bad); } .run-end time { margin-left: auto; }
.run-end b { text-transform: capitalize; }
@media (max-width: 700px) { details, .line, .run-end { margin-left: 0; } .msg { grid-template-columns: minmax(0, 1fr); gap: 2px; }
  .msg h2 { text-align: left; } }
@media print { body { background: none; } }
`;
