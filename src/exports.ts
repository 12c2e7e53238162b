// The exports that are the same on every platform.

// The two sides of an event
export { isLeft, isRight, match } from 'fp-ts/lib/Either.js'

// Client
export type { Client, PriceClient } from './client/client.js'
export type { CreateClient } from './client/create-client.js'
export type {
  ClientOptions,
  DepthClientOptions,
  ReconnectOptions,
  UnsignedClientOptions,
} from './client/options.js'

// Tokens
export {
  defineTokens,
  type DefinedToken,
  type DefinedTokens,
  type DefineTokensOptions,
  type TokenDefinition,
} from './client/tokens.js'
export { formatQuantity, parseQuantity } from './codec/arguments.js'
export { parseAddress } from './codec/arguments.js'
export { isAddress, type Address } from './domain/address.js'
export { isTopic, type Topic } from './domain/topic.js'

// Domain
export type { Depth, DepthSide, DepthSnapshot } from './domain/depth.js'
export type { ChainId, Environment } from './domain/environment.js'
export type { Price } from './domain/price.js'
export type {
  ClientSnapshot,
  PollSnapshot,
  TopicSnapshot,
  TopicSnapshotState as TopicState,
} from './domain/snapshot.js'
export type { Closed, ConnectionStatus, Connecting, Idle, Open, Waiting } from './domain/status.js'

// Diagnostics
export type {
  ConnectionState,
  DiagnosticsCollector,
  GatewayState,
  PollsState,
} from './diagnostics/collector.js'
export type { DiagnosticMessages, GatewayDisconnectCause } from './diagnostics/messages.js'

// Errors
export { ConfigurationError } from './errors/configuration-error.js'
export { matchError, renderError } from './errors/render.js'
export type {
  AnyError,
  ClientClosed,
  DecodeError,
  DecodeIssue,
  DepthError,
  Disconnected,
  HistoryError,
  HttpError,
  InvalidInterval,
  InvalidMint,
  InvalidRange,
  InvalidTopic,
  FailureCause,
  NetworkError,
  NotFresh,
  PriceError,
  PriceRequestError,
  RecordingError,
  Stale,
  SubscriptionRejected,
  SubscriptionTimeout,
  Timeout,
  Unauthorized,
  UncorrelatedError,
  UnknownTopic,
  UnsupportedPair,
  WriteError,
} from './errors/model.js'

// Codecs
export { DepthBody, DepthSideBody, decodeDepth } from './codec/depth.js'
export { encodeDepth } from './codec/depth.js'
export { decodeFrame, PriceUpdate, SubscriptionConfirmation, type Frame } from './codec/price-frame.js'
export { EpochMillis, MidpointPrice, PriceValue, UsdAmount } from './codec/number.js'
export { decodePriceText } from './codec/response-text.js'
export { Quantity } from './codec/number.js'
export { parseTopic, topicOf } from './codec/arguments.js'

// Signing
export type { CanonicalHeaders, HeaderPairs } from './auth/mac.js'
export type { RequestSigner, SignRequest } from './auth/sign-request.js'

// Ports
export type {
  DialOptions,
  HttpAnswer,
  HttpRequest,
  HttpResponse,
  HttpTransport,
  OnHttpResult,
  ResponseHead,
  Socket,
  SocketListener,
  WebSocketTransport,
} from './transport/ports.js'
