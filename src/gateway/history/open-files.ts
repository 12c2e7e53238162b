import { createFile, reopenFile, type NewFile } from '../../backtest/recording/files/files.js'

/** New files, of which at most `maxOpen` are open: consumers choose how many topics have one. */
export class OpenFiles {
  /** The open files, the longest unused first. */
  private readonly open = new Map<NewFile, NewFile>()

  constructor(private readonly maxOpen: number) {}

  /** Throws if the file cannot be created, or exists already. */
  create(path: string): NewFile {
    const file: NewFile = {
      write: (bytes, position, length) => this.use(file, path).write(bytes, position, length),
      cut: (position) => this.use(file, path).cut(position),
      close: () => this.close(file),
    }
    this.add(file, createFile(path))
    return file
  }

  private use(file: NewFile, path: string): NewFile {
    const opened = this.open.get(file) ?? reopenFile(path)
    this.open.delete(file)
    this.add(file, opened)
    return opened
  }

  private add(file: NewFile, opened: NewFile): void {
    const [oldest] = this.open.keys()
    if (oldest !== undefined && this.open.size >= this.maxOpen) this.close(oldest)
    this.open.set(file, opened)
  }

  private close(file: NewFile): void {
    const opened = this.open.get(file)
    this.open.delete(file)
    opened?.close()
  }
}
