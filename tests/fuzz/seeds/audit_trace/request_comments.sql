-- session 1
SELECT a FROM t WHERE id = 1 /*action='%2Fadd',controller='cart',traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01'*/;
/*application:Shop,controller:cart,action:add,request_id:7f-0c*/ UPDATE t SET a = 2 WHERE id = 1;
DISCARD ALL;
ROLLBACK;
SELECT 1 /*route='*/;
