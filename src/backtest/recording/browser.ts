import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { browserPlatform } from './read/browser-platform.js'
import { recordOn } from './write/record.js'
import { writeRecordingOn } from './write/write-recording.js'
import { replayOn } from '../replay/replay.js'

// The recording entry point in a browser. Its types are those of `index.ts`.

export const record = recordOn(undefined)
export const writeRecording = writeRecordingOn(undefined)
export const replay = replayOn(browserPlatform)

const needsFiles = (option: string) => (): never => {
  throw new ConfigurationError(option, 'a browser has no files')
}

export const journal = needsFiles('path')
export const resume = needsFiles('files')
