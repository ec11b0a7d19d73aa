#if Macros
@_exported public import HTTPChain
@_exported public import HTTPChainClient
@_exported public import HTTPChainPagination

/// Generates a client and a mock of a protocol.
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
/// An annotation on the protocol applies to each method without the same annotation. This is possible for `@Timeout`,
/// `@Headers`, `@Authentication`, and all others that don't concern the parameters or content of a single method.
///
/// For `PlantService`, it generates `PlantServiceClient`, with a `TypedRequest` for each method, and
/// `PlantServiceMock`.
///
/// - Parameter base: The base address of all paths; the chain's base address by default.
@attached(peer, names: suffixed(Client), suffixed(Mock))
public macro Service(base: String = "") = #externalMacro(module: "MacroPlugin", type: "ServiceMacro")

/// A closure that receives the progress of a call.
public typealias ProgressHandler = @Sendable (_ progress: TransferProgress) -> Void
#endif
