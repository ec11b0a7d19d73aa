#if Macros
public import HTTPChain
public import HTTPChainPagination

/// Says where the next page is, for a method that returns a `PageSequence`: `@Paged(by: .linkHeader())`.
@attached(peer)
public macro Paged(by style: PaginationStyle<Never>) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Says where the next page is by what a page holds: `@Paged(by: .nextURL { (page: PlantPage) in page.next })`.
@attached(peer)
public macro Paged<Value>(by style: PaginationStyle<Value>) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Reads the events of a method that returns an `EventStream` in another way: `@EventOptions(.untilDone)`.
@attached(peer)
public macro EventOptions(_ options: EventStreamOptions) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
