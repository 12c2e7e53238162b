// Prints whether a program and the library share their classes.
import { createRequire } from 'node:module'
import * as t from 'io-ts'
import { Observable } from 'rxjs'
import { ConfigurationError, createClient, DepthBody, PriceUpdate } from 'svc-streams'
import { freshWithin } from 'svc-streams/operators'
import { createTestClient } from 'svc-streams/testing'
import 'svc-streams/gateway'
import 'svc-streams/simulator'

const require = createRequire(import.meta.url)

const thrownBy = (f) => {
  try {
    f()
  } catch (error) {
    return error
  }
}

const client = createClient({ environment: 'testnet', priceBaseUrl: 'https://prices.example' })
const viaMain = thrownBy(() => createClient({ environment: 'testnet', priceBaseUrl: 'no URL' }))
const viaOperators = thrownBy(() => freshWithin(-1))

const copies = (name) => {
  const folders = Object.keys(require.cache).flatMap((file) => {
    const at = file.lastIndexOf(`/node_modules/${name}/`)
    // fp-ts is installed as CommonJS and as ESM: each folder that is loaded counts as one copy.
    return at < 0 ? [] : [file.slice(0, at) + '/' + file.slice(at).split('/').slice(1, 4).join('/')]
  })
  return new Set(folders.filter((folder) => !folder.endsWith('package.json'))).size
}

console.log(
  JSON.stringify({
    'status$ is an Observable of the program': client.status$ instanceof Observable,
    'a test client has Observables of the program': createTestClient({}).status$ instanceof Observable,
    'the codecs are codecs of the program':
      PriceUpdate instanceof t.Type && DepthBody instanceof t.InterfaceType,
    'require and import return the same exports': require('svc-streams').createClient === createClient,
    'a ConfigurationError is the same in every entry point':
      viaMain instanceof ConfigurationError && viaOperators instanceof ConfigurationError,
    'loaded copies': Object.fromEntries(['rxjs', 'fp-ts', 'io-ts'].map((name) => [name, copies(name)])),
  }),
)
