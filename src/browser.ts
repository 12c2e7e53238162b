// The front door in a browser. Its types are those of `index.ts`.

export * from './exports.js'
export { createClient, signRequest } from './client/in-browser.js'
