/// Those fields of etcd's messages that the client sends or reads, in the language of `protoc`.
///
/// The numbers are those of etcd's `rpc.proto`, `kv.proto` and `auth.proto`, which all versions of
/// its interface 3 have. Texts are bytes here, since a server can send any.
enum EtcdDescription {
  static let text = #"""
    syntax = "proto3";

    message ResponseHeader {
      uint64 cluster_id = 1;
      uint64 member_id = 2;
      int64 revision = 3;
      uint64 raft_term = 4;
    }
    message KeyValue {
      bytes key = 1;
      int64 create_revision = 2;
      int64 mod_revision = 3;
      int64 version = 4;
      bytes value = 5;
      int64 lease = 6;
    }

    message RangeRequest {
      bytes key = 1; bytes range_end = 2; int64 limit = 3; int64 revision = 4;
    }
    message PutRequest { bytes key = 1; bytes value = 2; int64 lease = 3; }
    message DeleteRangeRequest { bytes key = 1; bytes range_end = 2; }
    message RequestOp {
      oneof request {
        RangeRequest request_range = 1;
        PutRequest request_put = 2;
        DeleteRangeRequest request_delete_range = 3;
      }
    }
    message Compare {
      enum CompareResult { EQUAL = 0; GREATER = 1; LESS = 2; NOT_EQUAL = 3; }
      enum CompareTarget { VERSION = 0; CREATE = 1; MOD = 2; VALUE = 3; LEASE = 4; }
      CompareResult result = 1;
      CompareTarget target = 2;
      bytes key = 3;
      oneof target_union { int64 mod_revision = 6; }
      bytes range_end = 64;
    }
    message TxnRequest { repeated Compare compare = 1; repeated RequestOp success = 2; }

    message RangeResponse {
      ResponseHeader header = 1;
      repeated KeyValue kvs = 2;
      bool more = 3;
      int64 count = 4;
    }
    message PutResponse { ResponseHeader header = 1; KeyValue prev_kv = 2; }
    message ResponseOp {
      oneof response { RangeResponse response_range = 1; PutResponse response_put = 2; }
    }
    message TxnResponse {
      ResponseHeader header = 1;
      bool succeeded = 2;
      repeated ResponseOp responses = 3;
    }

    message WatchCreateRequest {
      bytes key = 1;
      bytes range_end = 2;
      int64 start_revision = 3;
      bool progress_notify = 4;
      bool fragment = 8;
    }
    message WatchRequest { oneof request_union { WatchCreateRequest create_request = 1; } }
    message Event {
      enum EventType { PUT = 0; DELETE = 1; }
      EventType type = 1;
      KeyValue kv = 2;
      KeyValue prev_kv = 3;
    }
    message WatchResponse {
      ResponseHeader header = 1;
      int64 watch_id = 2;
      bool created = 3;
      bool canceled = 4;
      int64 compact_revision = 5;
      bytes cancel_reason = 6;
      bool fragment = 7;
      repeated Event events = 11;
    }

    message StatusResponse {
      ResponseHeader header = 1;
      bytes version = 2;
      int64 db_size = 3;
      uint64 leader = 4;
      uint64 raft_index = 5;
      uint64 raft_term = 6;
      uint64 raft_applied_index = 7;
      repeated bytes errors = 8;
      int64 db_size_in_use = 9;
      bool is_learner = 10;
      bytes storage_version = 11;
      int64 db_size_quota = 12;
    }
    message AlarmMember {
      enum AlarmType { NONE = 0; NOSPACE = 1; CORRUPT = 2; }
      uint64 member_id = 1;
      AlarmType alarm = 2;
    }

    message Permission {
      enum Type { READ = 0; WRITE = 1; READWRITE = 2; }
      Type perm_type = 1;
      bytes key = 2;
      bytes range_end = 3;
    }

    // What a later version could add: fields of every kind.
    message Later {
      ResponseHeader header = 1;
      bool succeeded = 2;
      repeated ResponseOp responses = 3;
      double real = 100;
      float small = 101;
      sint64 zigzag = 102;
      fixed64 wide = 103;
      sfixed32 narrow = 104;
      repeated int64 packed = 105;
      string text = 106;
      KeyValue message = 536870911;
    }
    """#
}
