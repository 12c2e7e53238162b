// The recording entry point in a browser. Its types are those of `index.ts`.

export * from './exports.js'
export { record, replay } from './in-browser.js'
