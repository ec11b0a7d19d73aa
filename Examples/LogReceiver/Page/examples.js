// Examples of records to send first.

export function curlExample(origin) {
  return `curl ${origin}/ndjson -d '{"level":"info","component":"shell","message":"hello","user":42}'`;
}

export function swiftExample(origin) {
  return `import HTTPChain
import HTTPChainLogShipper
import Logging

let shipper = LogShipper(
    to: "${origin}/v1/logs",
    format: .otlp,
    resource: LogResource(serviceName: "my-app"),
    over: URLSessionTransport(),
    levels: LogLevels(.debug)
)
let chain = try Chain(transport: URLSessionTransport()) {
    RemoteLoggingMiddleware(shipper)                   // a record for each call
    RetryMiddleware()
    RemoteLoggingMiddleware(shipper, each: .attempt)   // and one for each attempt
}
_ = try await chain.send(.get("https://example.com/"))
try await shipper.flush()`;
}
