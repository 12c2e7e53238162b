import { createFile, reopenFile, type AppendedFile } from '../../backtest/recording/files/appended-file.js'

/** New files, of which at most `maxOpen` are open: consumers choose how many topics have one. */
export class OpenFiles {
  /** The open files, the longest unused first. */
  private readonly open = new Map<AppendedFile, AppendedFile>()

  constructor(private readonly maxOpen: number) {}

  /** Throws if the file cannot be created, or exists already. */
  create(path: string): AppendedFile {
    let size = 0
    const use = (action: (opened: AppendedFile) => void): void => {
      const opened = this.use(file, path)
      action(opened)
      ;({ size } = opened)
    }
    const file: AppendedFile = {
      get size() {
        return size
      },
      append: (bytes) => use((opened) => opened.append(bytes)),
      cut: (to) => use((opened) => opened.cut(to)),
      close: () => this.close(file),
    }
    this.add(file, createFile(path))
    return file
  }

  private use(file: AppendedFile, path: string): AppendedFile {
    const opened = this.open.get(file) ?? reopenFile(path, file.size)
    this.open.delete(file)
    this.add(file, opened)
    return opened
  }

  private add(file: AppendedFile, opened: AppendedFile): void {
    const [oldest] = this.open.keys()
    if (oldest !== undefined && this.open.size >= this.maxOpen) this.close(oldest)
    this.open.set(file, opened)
  }

  private close(file: AppendedFile): void {
    const opened = this.open.get(file)
    this.open.delete(file)
    opened?.close()
  }
}
