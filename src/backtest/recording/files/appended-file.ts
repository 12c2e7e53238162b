import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'

/** A file at whose end one process writes synchronously: written data are kept when the process is killed. */
export interface AppendedFile {
  /** In bytes, as far as this process knows. */
  readonly size: number
  /**
   * Throws if another program has cut the file. If the bytes cannot be written completely, for example on a full disk, the written
   * part is removed, and the error is thrown.
   */
  readonly append: (bytes: Uint8Array) => void
  /** Removes all bytes from a position on. Throws if another program has cut the file. */
  readonly cut: (size: number) => void
  readonly close: () => void
}

/** Throws if the file cannot be created, or exists already. `mode`: its permissions. */
export const createFile = (path: string, mode?: number): AppendedFile =>
  new OpenFile(openSync(path, 'ax', mode), 0)

/** Opens a file, or creates it. Throws an error of the system. */
export const openFile = (path: string): OpenFile => {
  const descriptor = openSync(path, 'a+')
  return new OpenFile(descriptor, fstatSync(descriptor).size)
}

/** Opens a file again that this process has written. `size`: its size then, in bytes. Throws if the file does not exist. */
export const reopenFile = (path: string, size: number): AppendedFile =>
  new OpenFile(openSync(path, constants.O_RDWR | constants.O_APPEND), size)

export class OpenFile implements AppendedFile {
  constructor(
    readonly descriptor: number,
    public size: number,
  ) {}

  append(bytes: Uint8Array): void {
    this.checkSize()
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(this.descriptor, bytes, written)
    } catch (thrown) {
      ftruncateSync(this.descriptor, this.size)
      throw thrown
    }
    this.size += bytes.length
  }

  cut(size: number): void {
    this.checkSize()
    ftruncateSync(this.descriptor, size)
    this.size = size
  }

  close(): void {
    closeSync(this.descriptor)
  }

  /** Flushes the file to the disk. */
  flush(): void {
    fsyncSync(this.descriptor)
  }

  /** Other programs may append to the file. */
  private checkSize(): void {
    const { size } = fstatSync(this.descriptor)
    if (size < this.size)
      throw new Error(`another program has cut the file from ${this.size} to ${size} bytes`)
    this.size = size
  }
}
