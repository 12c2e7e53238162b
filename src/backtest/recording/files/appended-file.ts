import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'

/** Throws if the file cannot be created, or exists already. */
export const createFile = (path: string): AppendedFile => new AppendedFile(openSync(path, 'ax'), 0)

/** Opens a file, or creates it. Throws an error of the system. */
export const openFile = (path: string): AppendedFile => {
  const descriptor = openSync(path, 'a+')
  return new AppendedFile(descriptor, fstatSync(descriptor).size)
}

/** Opens a file again that this process has written. `size`: its size then, in bytes. Throws if the file does not exist. */
export const reopenFile = (path: string, size: number): AppendedFile =>
  new AppendedFile(openSync(path, constants.O_RDWR | constants.O_APPEND), size)

/** A file at whose end one process writes synchronously: written data are kept when the process is killed. */
export class AppendedFile {
  constructor(
    readonly descriptor: number,
    /** In bytes, as far as this process knows. */
    public size: number,
  ) {}

  /** Throws if another program has cut or deleted the file, and if the write fails, for example on a full disk; the written part is removed. */
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

  /** Removes all bytes from a position on. Throws if another program has cut or deleted the file. */
  cut(size: number): void {
    this.checkSize()
    ftruncateSync(this.descriptor, size)
    this.size = size
  }

  close(): void {
    closeSync(this.descriptor)
  }

  /** Other programs may append to the file. */
  private checkSize(): void {
    const { size, nlink } = fstatSync(this.descriptor)
    if (nlink === 0) throw new Error('another program has deleted the file')
    if (size < this.size)
      throw new Error(`another program has cut the file from ${this.size} to ${size} bytes`)
    this.size = size
  }
}
