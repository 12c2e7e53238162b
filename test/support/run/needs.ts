import { readFileSync } from 'node:fs'

// What a test file needs, by the helpers that it imports.

export const imports = (file: string, module: RegExp): boolean => module.test(readFileSync(file, 'utf8'))

/** True for a file that starts processes, which run the compiled copy of the sources. */
export const startsProcesses = (file: string): boolean =>
  imports(
    file,
    /(?:node-process|nats-server|start-fleet|command|support\/terminal|user-folder|run-sweep|support\/readers)\.js'/,
  )

/** True for a file that opens pages in Chromium. */
export const opensPages = (file: string): boolean =>
  /\/test\/(?:browser|dashboard\/page)\//.test(file) || imports(file, /support\/axe\.js'/)
