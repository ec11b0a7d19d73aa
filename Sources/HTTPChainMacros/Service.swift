#if Macros
@_exported public import HTTPChain
@_exported public import HTTPChainClient
@_exported public import HTTPChainPagination

/// Makes a client and a mock of a protocol.
///
/// ```swift
/// @Service(base: "https://api.example.com/v2")
/// protocol PlantService {
///     @GET("plants/{id}")
///     func plant(id: Int) async throws -> Plant
///
///     @GET("plants") @Query("name", "page") @Default("page", 1)
///     func search(name: String, page: Int) async throws -> [Plant]
/// }
/// ```
///
/// ```swift
/// let plants = PlantServiceClient(chain: chain)
/// let rose = try await plants.plant(id: 7)
/// ```
///
/// An annotation on the protocol holds for each method that has none with that name: `@Timeout`, `@Headers`, `@Authenticator`
/// and whatever else does not belong to one method's parameters or content.
///
/// Of `PlantService` it makes `PlantServiceClient`, with a `TypedRequest` for each method, and `PlantServiceMock`.
///
/// - Parameter base: The address that all paths are relative to; by default the chain's.
@attached(peer, names: suffixed(Client), suffixed(Mock))
public macro Service(base: String = "") = #externalMacro(module: "MacroPlugin", type: "ServiceMacro")

/// Is told of the progress of a call.
public typealias ProgressHandler = @Sendable (_ progress: TransferProgress) -> Void
#endif
