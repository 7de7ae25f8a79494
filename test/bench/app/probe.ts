import type { Page } from '@playwright/test';

export interface Frames {
  /** Between one frame and the next, in milliseconds. */
  readonly deltas: readonly number[];
  /** Tasks of more than 50 ms, in milliseconds. */
  readonly longTasks: readonly number[];
  /** Frames in which a part of the viewport had no row, and those in which none of it had. */
  readonly gaps: number;
  readonly blank: number;
  /** How far it came, in pixels. */
  readonly distance: number;
  /** Most rows that stood in the page at once. */
  readonly rows: number;
}

export interface Scroll {
  /** A CSS selector of what scrolls. */
  readonly of: string;
  /** For each frame, in pixels; negative is up. */
  readonly steps: readonly number[];
}

/** What is put into the page to measure it from within. */
export interface Probe {
  /** From the next click until the newest entry of a session of this title is painted. */
  opening(title: string): void;
  /** From the next key until what is listed for what then stands in the search box is painted. */
  typing(what: 'sessions' | 'hits'): void;
  /** From the next click until another entry is marked as the one that was gone to, and it is in sight. */
  jumping(): void;
  /** In milliseconds, and the longest task meanwhile. */
  ended(): Promise<{ readonly ms: number; readonly longest: number }>;
  scroll(scroll: Scroll): Promise<Frames>;
  /** Goes up by so many pixels a frame until the first entry is there, or the time is over. */
  toTop(of: string, step: number, limitMs: number): Promise<{ readonly distance: number; readonly reached: boolean }>;
  /** Frames while nothing of ours scrolls. */
  idle(frames: number): Promise<Frames>;
  /** The same scrolling over plain rows that are all there: what the machine itself can do. */
  plain(steps: readonly number[]): Promise<Frames>;
}

declare global {
  interface Window {
    probe: Probe;
  }
}

/** Puts the probe into the page; what it measures it measures without the test's own round trips. */
export async function putProbe(page: Page): Promise<void> {
  await page.evaluate(() => {
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    const tasks: number[] = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration);
    }).observe({ entryTypes: ['longtask'] });

    const isOpen = (title: string) => {
      const main = document.querySelector('[role=main], main');
      const feed = main?.querySelector<HTMLElement>('.feed');
      if (main?.querySelector('h1')?.textContent !== title || feed?.getAttribute('aria-busy') !== 'false') return false;
      const last = [...feed.querySelectorAll('article')].at(-1)?.getBoundingClientRect();
      const view = feed.getBoundingClientRect();
      return last !== undefined && last.bottom <= view.bottom + 1 && last.top >= view.top;
    };
    const isListed = (what: 'sessions' | 'hits') => {
      const list = document.querySelector(what === 'hits' ? '.hits' : '.side-list');
      return list?.getAttribute('aria-busy') === 'false';
    };

    const isInSight = (before: Element | null) => {
      const found = document.querySelector('.feed .found');
      const view = document.querySelector('.feed')?.getBoundingClientRect();
      const place = found?.getBoundingClientRect();
      if (found === null || found === before || view === undefined || place === undefined) return false;
      return place.top >= view.top && place.top < view.bottom;
    };

    let measured: Promise<{ ms: number; longest: number }> = Promise.resolve({ ms: Number.NaN, longest: 0 });
    const from = (event: 'click' | 'input', done: () => boolean) => {
      measured = new Promise((resolve) => {
        document.addEventListener(
          event,
          async ({ timeStamp }) => {
            const first = tasks.length;
            // Once the DOM has it, the frame that paints it is the next.
            do await frame();
            while (!done());
            await frame();
            resolve({ ms: performance.now() - timeStamp, longest: Math.max(0, ...tasks.slice(first)) });
          },
          { capture: true, once: true },
        );
      });
    };

    const uncovered = (scroller: Element) => {
      const rows = scroller.querySelectorAll('.virtual-row');
      const view = scroller.getBoundingClientRect();
      const [first, last] = [rows[0]?.getBoundingClientRect(), rows[rows.length - 1]?.getBoundingClientRect()];
      if (first === undefined || last === undefined) return view.height;
      // The padding above the first and below the last row is no gap.
      return Math.max(0, first.top - view.top - 24, view.bottom - last.bottom - 24);
    };

    const run = async (count: number, each: (index: number) => Element | null): Promise<Frames> => {
      const first = tasks.length;
      const deltas: number[] = [];
      let [gaps, blank, rows] = [0, 0, 0];
      let before = await frame();
      for (let index = 0; index < count; index += 1) {
        const scroller = each(index);
        if (scroller !== null) {
          const missing = uncovered(scroller);
          if (missing > 0) gaps += 1;
          if (missing >= scroller.clientHeight) blank += 1;
          rows = Math.max(rows, scroller.querySelectorAll('.virtual-row').length);
        }
        const now = await frame();
        deltas.push(now - before);
        before = now;
      }
      await new Promise((resolve) => setTimeout(resolve));
      return { deltas, longTasks: tasks.slice(first), gaps, blank, distance: 0, rows };
    };

    window.probe = {
      opening: (title) => from('click', () => isOpen(title)),
      jumping: () => {
        const before = document.querySelector('.feed .found');
        from('click', () => isInSight(before));
      },
      typing: (what) => from('input', () => isListed(what)),
      ended: () => measured,
      idle: (count) => run(count, () => null),
      scroll: async ({ of, steps }) => {
        const scroller = document.querySelector(of);
        if (scroller === null) throw new Error(`there is no ${of}`);
        let distance = 0;
        const frames = await run(steps.length, (index) => {
          const top = scroller.scrollTop;
          scroller.scrollTop = top + (steps[index] ?? 0);
          distance += Math.abs(scroller.scrollTop - top);
          return scroller;
        });
        return { ...frames, distance };
      },
      toTop: async (of, step, limitMs) => {
        const until = performance.now() + limitMs;
        let distance = 0;
        for (;;) {
          const scroller = document.querySelector(of);
          if (scroller === null) throw new Error(`there is no ${of}`);
          const top = scroller.scrollTop;
          const size = scroller.querySelector('article')?.getAttribute('aria-setsize');
          if (top === 0 && size !== '-1') return { distance, reached: true };
          if (performance.now() > until) return { distance, reached: false };
          scroller.scrollTop = top - step;
          distance += top - scroller.scrollTop;
          await frame();
        }
      },
      plain: async (steps) => {
        const scroller = document.createElement('div');
        scroller.style.cssText = 'position:fixed;inset:0;overflow:auto;z-index:9999;background:#222;color:#ddd';
        for (let index = 0; index < 4_000; index += 1) {
          const row = document.createElement('div');
          row.style.cssText = 'height:30px;contain:strict';
          row.textContent = `A plain row ${index}, which says nothing`;
          scroller.append(row);
        }
        document.body.append(scroller);
        scroller.scrollTop = scroller.scrollHeight;
        for (let wait = 0; wait < 10; wait += 1) await frame();
        const frames = await run(steps.length, (index) => {
          scroller.scrollTop += steps[index] ?? 0;
          return null;
        });
        scroller.remove();
        return frames;
      },
    };
  });
}
