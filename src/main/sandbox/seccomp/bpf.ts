/** A label that a jump can go to, further on in the program. */
export type Label = string;

type Line =
  | { readonly label: Label }
  | { readonly code: number; readonly k: number; readonly yes: Label | null; readonly no: Label | null };

// Classic BPF, as in the kernel's include/uapi/linux/bpf_common.h: class, size or operation, mode or source.
const LOAD_WORD_ABSOLUTE = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
/** struct sock_filter: 16 bits of code, two jump offsets of 8 bits, 32 bits of constant. */
const INSTRUCTION_BYTES = 8;
const FARTHEST_JUMP = 255;

/** Assembles a classic BPF program, in the byte order of the machines that it is for (both are little-endian). */
export class BpfProgram {
  private readonly lines: Line[] = [];

  /** Loads the 32-bit word at this offset of the data. */
  load(offset: number): this {
    return this.add(LOAD_WORD_ABSOLUTE, offset, null, null);
  }

  /** null goes on with the next instruction. */
  ifEqual(value: number, yes: Label | null, no: Label | null = null): this {
    return this.add(JUMP_IF_EQUAL, value, yes, no);
  }

  ifAnyBit(mask: number, yes: Label | null, no: Label | null = null): this {
    return this.add(JUMP_IF_ANY_BIT, mask, yes, no);
  }

  answer(value: number): this {
    return this.add(RETURN, value, null, null);
  }

  at(label: Label): this {
    this.lines.push({ label });
    return this;
  }

  /** @throws Error when a label is missing, lies behind the jump, or is more than 255 instructions away. */
  assemble(): Buffer {
    const places = new Map<Label, number>();
    let count = 0;
    for (const line of this.lines) {
      if ('label' in line) places.set(line.label, count);
      else count++;
    }
    const bytes = Buffer.alloc(count * INSTRUCTION_BYTES);
    let index = 0;
    for (const line of this.lines) {
      if ('label' in line) continue;
      const offset = index * INSTRUCTION_BYTES;
      bytes.writeUInt16LE(line.code, offset);
      bytes.writeUInt8(distance(places, line.yes, index), offset + 2);
      bytes.writeUInt8(distance(places, line.no, index), offset + 3);
      bytes.writeUInt32LE(line.k >>> 0, offset + 4);
      index++;
    }
    return bytes;
  }

  private add(code: number, k: number, yes: Label | null, no: Label | null): this {
    this.lines.push({ code, k, yes, no });
    return this;
  }
}

function distance(places: ReadonlyMap<Label, number>, label: Label | null, from: number): number {
  if (label === null) return 0;
  const place = places.get(label);
  const jump = place === undefined ? -1 : place - from - 1;
  if (jump < 0 || jump > FARTHEST_JUMP) throw new Error(`The filter cannot jump to "${label}" from ${from}.`);
  return jump;
}
