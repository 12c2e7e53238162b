import type { Gunzip } from './read/decompressed.js'
import type { Chunks } from './read/iterable-opener.js'
import type { LineWriter } from './record/line-recorder.js'

/** What recordings need from the platform that they run on. */
export interface RecordingPlatform {
  /** The source that a string is: a file by its path on Node, the text of a recording in a browser. */
  readonly stringSource: (text: string) => PlatformSource
  /** The source that a URL names. Throws a `ConfigurationError` if the platform has no files. */
  readonly urlSource: (href: string) => PlatformSource
  readonly createGunzip: () => Gunzip
  /** Creates a file for a recording. Throws if that fails. `undefined`: the platform has no files. */
  readonly createFile: ((path: string) => LineWriter & { readonly close: () => void }) | undefined
}

export interface PlatformSource {
  /** Names the source in error messages. `undefined` if it has no name. */
  readonly name?: string
  readonly open: () => Chunks
}
