import { plainDecimal } from '../../../base/domain/plain-decimal.js'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { printable } from '../../../base/errors/text.js'
import { writing } from '../../render/file-problem.js'

const blockBytes = 65_536

/** A CSV file of the flag of a command. Throws if it cannot be written. */
export class CsvFile {
  private readonly name: string
  private readonly file: number
  private text = ''

  constructor(flag: string, path: string, columns: readonly string[]) {
    this.name = `${flag}: ${printable(path)}`
    this.file = writing(this.name, () => openSync(path, 'w'))
    this.add(columns)
  }

  add(cells: readonly string[]): void {
    this.text += `${cells.map(quoted).join(',')}\r\n`
    if (this.text.length >= blockBytes) this.write()
  }

  close(): void {
    this.write()
    closeSync(this.file)
  }

  private write(): void {
    const { text } = this
    this.text = ''
    // `writeSync` may write a part alone, without an error: on a disk that becomes full.
    writing(this.name, () => writeFileSync(this.file, text))
  }
}

/** RFC 4180. */
const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A number with all its digits; empty for another value. */
export const numberCell = (value: unknown): string => {
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' ? plainDecimal(value) : ''
}
