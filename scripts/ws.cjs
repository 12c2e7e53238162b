// The package `ws` without its optional natives: bundlers replace them by empty modules, and `ws` then fails for each frame of 32
// bytes or more. It reads these variables once, when it is loaded.
const { env, versions } = process
const variables = ['WS_NO_BUFFER_UTIL', 'WS_NO_UTF_8_VALIDATE']
const before = variables.map((name) => env[name])
for (const name of variables) env[name] = '1'

/** Bun replaces a package of this name by a module of its own, but not its folder. A bundle has no folder of it. */
const requireOfBun = () => {
  const requireHere = require('node:module').createRequire(__filename)
  try {
    return requireHere(requireHere.resolve('ws/package.json').replace(/package\.json$/, ''))
  } catch {
    // The bundle contains it.
    return undefined
  }
}

const { WebSocket, WebSocketServer } = ('bun' in versions && requireOfBun()) || require('ws')
for (const [index, name] of variables.entries()) {
  if (before[index] === undefined) delete env[name]
  else env[name] = before[index]
}
exports.WebSocket = WebSocket
exports.WebSocketServer = WebSocketServer
