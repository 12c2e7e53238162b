/** A picture on a terminal that is drawn again in place. Its lines must fit into the terminal's. */
export interface Redraw {
  readonly draw: (lines: readonly string[]) => void
  /** Leaves the last picture as it is. */
  readonly done: () => void
}

const escape = '\u001b['
const hideCursor = `${escape}?25l`
const showCursor = `${escape}?25h`
const clearToEndOfLine = `${escape}K`
const clearBelow = `${escape}J`

const up = (lines: number): string => (lines === 0 ? '' : `${escape}${lines}A\r`)

/** Each picture is one write, so that none is seen half drawn. */
export const createRedraw = (output: Pick<NodeJS.WriteStream, 'write'>): Redraw => {
  let drawn = 0
  const restore = (): void => {
    output.write(showCursor)
  }
  output.write(hideCursor)
  // Whatever ends the process, the terminal is left as it was.
  process.once('exit', restore)
  return {
    draw: (lines) => {
      const text = lines.map((line) => `${line}${clearToEndOfLine}\n`).join('')
      output.write(`${up(drawn)}${text}${clearBelow}`)
      drawn = lines.length
    },
    done: () => {
      process.off('exit', restore)
      restore()
    },
  }
}
